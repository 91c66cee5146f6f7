"""What v1beta1 and v1beta2 of Cluster API do not share, and no declaration can say."""
